-- The number of votes that were not withdrawn: a vote that would exceed the budget is refused in the transaction that would store it.
ALTER TABLE campaigns ADD COLUMN votes {int} NOT NULL DEFAULT 0;
UPDATE campaigns SET votes =
    (SELECT count(*) FROM votes WHERE votes.campaign = campaigns.id AND votes.withdrawn IS NULL);

-- The invitation through which a vote came, if that is known. Not a reference: votes outlive it.
ALTER TABLE votes ADD COLUMN link {id};
CREATE INDEX votes_by_link ON votes (link, worker) WHERE link IS NOT NULL;

-- Secrets that all servers of the database share, such as the one that signs tickets.
CREATE TABLE keys (
    name TEXT PRIMARY KEY,
    key {bytes} NOT NULL
) {rows};

-- How much may come through an invitation.
CREATE TABLE link_limits (
    link {id} PRIMARY KEY REFERENCES credentials (id) ON DELETE CASCADE,
    most_workers {int},
    most_votes {int}
) {rows};
