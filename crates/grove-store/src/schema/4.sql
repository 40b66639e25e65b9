-- Accounts that may use a campaign besides its owner.
CREATE TABLE members (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    owner {id} NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
    -- 'editor' or 'viewer'.
    role TEXT NOT NULL,
    since {int} NOT NULL,
    PRIMARY KEY (campaign, owner)
) {clustered};
CREATE INDEX members_by_owner ON members (owner);
