DROP INDEX CONCURRENTLY IF EXISTS "subscriptions_channel_id_user_id_idx";
