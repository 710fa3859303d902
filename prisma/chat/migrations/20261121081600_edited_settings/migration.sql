-- Which settings somebody has changed for themselves: administrators may leave those alone.
ALTER TABLE "users" ADD COLUMN "edited_settings" TEXT[] NOT NULL DEFAULT '{}';
