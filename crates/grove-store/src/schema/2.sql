-- Failed logins, counted here so that several servers give no more guesses than one.
CREATE TABLE login_failures (
    -- Whose they are: those of an address, of an account by the name that was typed, of a device, or of a change of password.
    kind TEXT NOT NULL,
    -- A hash: some people type their password where the name belongs.
    subject {bytes} NOT NULL,
    -- The account, if there is one of that name.
    owner {id} REFERENCES owners (id) ON DELETE CASCADE,
    failures {int} NOT NULL,
    -- When they are forgotten.
    until {int} NOT NULL,
    PRIMARY KEY (kind, subject)
) {clustered};
CREATE INDEX login_failures_by_until ON login_failures (until);
CREATE INDEX login_failures_by_owner ON login_failures (owner);
