-- Users whose message rows are not written. A send looks up each subscriber, where it read the rows of all users before.
CREATE INDEX CONCURRENTLY "soft_deactivations_away_idx" ON "soft_deactivations"("user_id") WHERE NOT "is_back";
