-- What each model has used in a campaign, and what its questions under way may still use: a question that could exceed a budget is refused in the
-- transaction that would write it down.
CREATE TABLE model_spending (
    campaign {id} NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    -- The operator's name for the endpoint.
    endpoint TEXT NOT NULL,
    tokens {int} NOT NULL,
    -- In millionths of a cent.
    cost {int} NOT NULL,
    PRIMARY KEY (campaign, endpoint)
) {clustered};
-- Endpoints have reported numbers that cannot be summed. No question costs more than ten million in the main currency.
UPDATE model_calls SET input = 1000000 WHERE input > 1000000;
UPDATE model_calls SET output = 1000000 WHERE output > 1000000;
UPDATE model_calls SET cost = 1000000000000000 WHERE cost > 1000000000000000;
INSERT INTO model_spending (campaign, endpoint, tokens, cost)
    SELECT campaign, endpoint, sum(input + output), sum(cost) FROM model_calls GROUP BY campaign, endpoint;

-- What the endpoints of models support, as far as it is known.
CREATE TABLE model_probes (
    -- The address and the model, as a hash: an address may be of the operator's network.
    endpoint TEXT PRIMARY KEY,
    -- As JSON.
    probe TEXT NOT NULL,
    at {int} NOT NULL
) {clustered};

-- The places of the study, as the service said last.
ALTER TABLE panels ADD COLUMN places {int};
-- 1 if the study was paused because its campaign was, so that it is resumed with it.
ALTER TABLE panels ADD COLUMN paused_with_campaign {int} NOT NULL DEFAULT 0;
-- How often money of the study was committed, or what it may cost was changed: whoever decides by what is left of a budget commits only if nobody
-- else has decided anything meanwhile.
ALTER TABLE panels ADD COLUMN commitments {int} NOT NULL DEFAULT 0;
-- The most places that the service was asked for, written before it is.
ALTER TABLE panels ADD COLUMN places_asked {int};
-- When: a request that came to nothing must not hold back money for ever.
ALTER TABLE panels ADD COLUMN places_asked_at {int};
-- 1 if the submissions of the study were read after it had ended: from then on nobody new takes part.
ALTER TABLE panels ADD COLUMN read_after_end {int} NOT NULL DEFAULT 0;
