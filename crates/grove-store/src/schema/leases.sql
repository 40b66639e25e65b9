-- For PostgreSQL alone; with SQLite, leases live in memory. They may be lost at a crash: that costs a repeated question and no vote. So
-- they are not written to the database's own log.
CREATE UNLOGGED TABLE IF NOT EXISTS lease_books (
    campaign UUID PRIMARY KEY,
    -- Another one after every change.
    stamp UUID NOT NULL,
    -- All leases of the campaign, as JSON: they are few, and always read and written together.
    book TEXT NOT NULL
);
