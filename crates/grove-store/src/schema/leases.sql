-- For PostgreSQL alone; with SQLite, leases live in memory. They may be lost at a crash: that costs a repeated question and no vote. So
-- they are not written to the database's own log.
CREATE UNLOGGED TABLE IF NOT EXISTS leases (
    campaign UUID NOT NULL,
    worker TEXT NOT NULL,
    kind TEXT NOT NULL,
    upper BIGINT NOT NULL,
    lower BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    until BIGINT NOT NULL,
    -- A worker holds a question once.
    PRIMARY KEY (campaign, worker, kind, upper, lower)
);
