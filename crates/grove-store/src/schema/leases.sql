-- Leases may be lost at a crash: that costs a repeated question and no vote. In PostgreSQL they are not written to the log of the
-- database, in SQLite they live in memory.
CREATE {unlogged} TABLE IF NOT EXISTS leases (
    campaign {id} NOT NULL,
    worker TEXT NOT NULL,
    kind TEXT NOT NULL,
    upper {int} NOT NULL,
    lower {int} NOT NULL,
    taken {int} NOT NULL,
    until {int} NOT NULL,
    -- A worker holds a question once.
    PRIMARY KEY (campaign, worker, kind, upper, lower)
) {rows};
CREATE INDEX IF NOT EXISTS leases_by_question ON leases (campaign, kind, upper, lower);
