-- The time after which the data of a deactivated realm is deleted. Null: never.
ALTER TABLE "realms" ADD COLUMN "deletion_due_at" TIMESTAMPTZ(3);
