-- An id of the realm that is the same nowhere else: clients make pictures by it.
ALTER TABLE "realms" ADD COLUMN "uuid" UUID NOT NULL DEFAULT gen_random_uuid();
-- The setting has the name of the newer feature level.
UPDATE "realms" SET "settings" = ("settings" - 'giphy_rating') || jsonb_build_object('gif_rating_policy', "settings" -> 'giphy_rating')
WHERE "settings" ? 'giphy_rating';
