-- Written once for both databases: {int}, {id} and {bytes} are their types for whole numbers, UUIDs and bytes; {rows} and {clustered} say how SQLite
-- stores rows.

CREATE TABLE owners (
    id {id} PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    created {int} NOT NULL
) {rows};

CREATE TABLE campaigns (
    id {id} PRIMARY KEY,
    owner {id} REFERENCES owners (id),
    name TEXT NOT NULL,
    created {int} NOT NULL,
    -- The position of the last entry of the log: new positions are taken from here, under a lock on this row.
    head {int} NOT NULL,
    -- The number of the last concept added.
    concepts {int} NOT NULL,
    -- The last position that the belief has read.
    advanced {int} NOT NULL
) {rows};
CREATE UNIQUE INDEX campaigns_by_name ON campaigns (owner, name) WHERE owner IS NOT NULL;
CREATE UNIQUE INDEX campaigns_by_name_alone ON campaigns (name) WHERE owner IS NULL;

CREATE TABLE log (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    position {int} NOT NULL,
    at {int} NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (campaign, position)
) {clustered};

CREATE TABLE votes (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    vote {id} NOT NULL,
    worker TEXT NOT NULL,
    kind TEXT NOT NULL,
    upper {int} NOT NULL,
    lower {int} NOT NULL,
    answer TEXT NOT NULL,
    -- The position of the vote in the log.
    position {int} NOT NULL,
    -- The position of its withdrawal, if it was withdrawn.
    withdrawn {int},
    -- The vote first: SQLite assumes that the first column of a key is selective, and would read a whole campaign.
    PRIMARY KEY (vote, campaign)
) {clustered};
-- One vote per worker and question, among those not withdrawn.
CREATE UNIQUE INDEX votes_by_worker ON votes (campaign, worker, kind, upper, lower) WHERE withdrawn IS NULL;
CREATE UNIQUE INDEX votes_by_position ON votes (campaign, position);
CREATE INDEX votes_by_worker_and_position ON votes (campaign, worker, position);
CREATE INDEX votes_by_question ON votes (campaign, kind, upper, lower, position);

CREATE TABLE corrections (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    correction {id} NOT NULL,
    position {int} NOT NULL,
    taken_back {int},
    PRIMARY KEY (campaign, correction)
) {clustered};

CREATE TABLE snapshots (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    position {int} NOT NULL,
    at {int} NOT NULL,
    bytes {bytes} NOT NULL,
    PRIMARY KEY (campaign, kind, position)
) {rows};

-- The programs that run the beliefs.
CREATE TABLE holders (
    campaign {id} PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    holder {id} NOT NULL,
    name TEXT NOT NULL,
    until {int} NOT NULL
) {rows};

-- Sessions, API tokens and invitations, with the hashes of their secrets.
CREATE TABLE credentials (
    id {id} PRIMARY KEY,
    hash {bytes} NOT NULL UNIQUE,
    purpose TEXT NOT NULL,
    owner {id} REFERENCES owners (id) ON DELETE CASCADE,
    campaign {id} REFERENCES campaigns (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    created {int} NOT NULL,
    until {int},
    revoked {int}
) {rows};
CREATE INDEX credentials_by_owner ON credentials (owner);
CREATE INDEX credentials_by_campaign ON credentials (campaign);
