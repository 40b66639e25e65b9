-- For PostgreSQL alone; with SQLite, leases are kept in memory. Losing them in a crash costs a repeated question and no vote, so they need not
-- be in the write-ahead log.
CREATE UNLOGGED TABLE IF NOT EXISTS lease_books (
    campaign UUID PRIMARY KEY,
    -- A new one after each change.
    stamp UUID NOT NULL,
    -- All leases of the campaign, as JSON: they are few, and always read and written together.
    book TEXT NOT NULL
);
