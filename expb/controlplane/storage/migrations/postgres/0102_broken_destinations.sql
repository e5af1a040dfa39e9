-- For the operator's list of broken destinations, the last to break first.
CREATE INDEX CONCURRENTLY destinations_broken ON destinations (failing_since DESC, id DESC) WHERE state = 'broken';
