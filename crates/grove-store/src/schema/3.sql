-- Where workers come from besides invitations. Neither tokens nor keys of services are in any of these tables.
CREATE TABLE panels (
    -- It is also the secret of an invitation, which everybody who comes from the panel shares.
    id {id} PRIMARY KEY,
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- The operator's name for the service; none for a panel that only sends people.
    connection TEXT,
    -- As JSON.
    settings TEXT NOT NULL,
    -- Makes the secrets by which people are known again.
    key {bytes} NOT NULL,
    -- The study at the service, and its status there.
    study TEXT,
    status TEXT NOT NULL,
    created {int} NOT NULL,
    synced {int}
) {rows};
CREATE INDEX panels_by_campaign ON panels (campaign);

-- Who came from a panel.
CREATE TABLE panel_people (
    panel {id} NOT NULL REFERENCES panels (id) ON DELETE CASCADE,
    -- The panel's id of the person.
    person TEXT NOT NULL,
    worker TEXT NOT NULL,
    session TEXT,
    study TEXT,
    -- The parameters that are kept, as JSON.
    kept TEXT NOT NULL,
    entered {int} NOT NULL,
    consented {int},
    finished {int},
    -- 'finished' or 'turned_away'.
    outcome TEXT,
    -- 1 if the service has confirmed the person and the session, 0 if it has denied them.
    verified {int},
    PRIMARY KEY (panel, person)
) {clustered};
CREATE UNIQUE INDEX panel_people_by_worker ON panel_people (panel, worker);

-- What the service says of those who take part.
CREATE TABLE submissions (
    panel {id} NOT NULL REFERENCES panels (id) ON DELETE CASCADE,
    submission TEXT NOT NULL,
    person TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Since when, by the service's clock.
    at {int} NOT NULL,
    code TEXT,
    seconds {int},
    -- What the owner wants: 'approve' or 'return'.
    decision TEXT,
    -- When the service was asked for it.
    asked {int},
    PRIMARY KEY (submission, panel)
) {clustered};
CREATE INDEX submissions_by_panel ON submissions (panel);

-- Webhooks that were taken in.
CREATE TABLE webhooks (
    connection TEXT NOT NULL,
    event TEXT NOT NULL,
    at {int} NOT NULL,
    PRIMARY KEY (connection, event)
) {clustered};

-- The journal of bonuses: written before anything is sent.
CREATE TABLE bonuses (
    id {id} PRIMARY KEY,
    panel {id} NOT NULL REFERENCES panels (id) ON DELETE CASCADE,
    submission TEXT NOT NULL,
    cents {int} NOT NULL,
    -- 'intended', 'sent', 'paid' or 'refused'.
    status TEXT NOT NULL,
    -- The payment at the service that it is part of.
    batch TEXT,
    created {int} NOT NULL,
    sent {int}
) {rows};
CREATE INDEX bonuses_by_panel ON bonuses (panel);
-- One under way for each submission, so that what the service has paid in all tells whether it was paid.
CREATE UNIQUE INDEX bonuses_under_way ON bonuses (panel, submission) WHERE status IN ('intended', 'sent');

-- What language models were asked, what they said and what it cost.
CREATE TABLE model_calls (
    id {id} PRIMARY KEY,
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    worker TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    mode TEXT NOT NULL,
    prompt TEXT NOT NULL,
    -- What makes two calls the same.
    call TEXT NOT NULL,
    screen TEXT NOT NULL,
    reply TEXT NOT NULL,
    -- P(yes) in billionths, if the model tells.
    yes {int},
    input {int} NOT NULL,
    output {int} NOT NULL,
    -- In millionths of a cent.
    cost {int} NOT NULL,
    milliseconds {int} NOT NULL,
    at {int} NOT NULL
) {rows};
CREATE INDEX model_calls_by_campaign ON model_calls (campaign, worker);
CREATE INDEX model_calls_by_call ON model_calls (campaign, call);
-- Votes of any form. What was shown and said is in the log; this table finds it there, and keeps votes from counting twice.
CREATE TABLE votes_of_any_form (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    vote {id} NOT NULL,
    worker TEXT NOT NULL,
    -- What was asked, whatever the order in which options were shown: see votes.rs.
    screen TEXT NOT NULL,
    -- The position of the vote in the log.
    position {int} NOT NULL,
    -- The position of its withdrawal, if it was withdrawn.
    withdrawn {int},
    -- The vote first: SQLite assumes that the first column of a key is selective, and would read a whole campaign.
    PRIMARY KEY (vote, campaign)
) {clustered};
INSERT INTO votes_of_any_form (campaign, vote, worker, screen, position, withdrawn)
    SELECT campaign, vote, worker, kind || ' ' || upper || ' ' || lower, position, withdrawn FROM votes;
DROP TABLE votes;
ALTER TABLE votes_of_any_form RENAME TO votes;
-- One vote per worker and screen, among those not withdrawn.
CREATE UNIQUE INDEX votes_by_worker ON votes (campaign, worker, screen) WHERE withdrawn IS NULL;
CREATE UNIQUE INDEX votes_by_position ON votes (campaign, position);
CREATE INDEX votes_by_worker_and_position ON votes (campaign, worker, position);
CREATE INDEX votes_by_screen ON votes (campaign, screen, position);

-- The servers that share the database, while they are alive.
CREATE TABLE servers (
    -- The holder of what the server holds.
    id {id} PRIMARY KEY,
    name TEXT NOT NULL,
    -- Until when it counts as alive unless it says so again.
    until {int} NOT NULL
) {rows};

-- How often the belief has changed hands. What a holder writes carries the number, so that nothing is taken from one of before.
ALTER TABLE holders ADD COLUMN epoch {int} NOT NULL DEFAULT 0;

-- Who logged in, who tried to, and what was done to accounts. (What was done to campaigns is in their logs.)
CREATE TABLE audit (
    -- Made in the order of time.
    id {id} PRIMARY KEY,
    at {int} NOT NULL,
    -- Not a reference: entries outlive the account.
    owner {id},
    action TEXT NOT NULL,
    -- Where it came from; empty for this machine's command line.
    address TEXT NOT NULL
) {rows};
CREATE INDEX audit_by_owner ON audit (owner, id);
