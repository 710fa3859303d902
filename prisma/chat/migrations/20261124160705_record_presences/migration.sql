-- Records that clients of these users are connected, and which of the users are active. Accounts that hide their presence
-- are left out. Everything that may wait for another transaction comes first; then the update ids are taken under one
-- lock of the realm (992132), which is held for one UPDATE and the commit. A client that has seen an update id has
-- therefore seen every smaller one, and no transaction that runs for long delays the numbers.
CREATE FUNCTION "record_presences"("realm" INTEGER, "user_ids" INTEGER[], "active" BOOLEAN[]) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    "recorded" INTEGER[];
BEGIN
    INSERT INTO "presences" ("user_id", "realm_id", "last_connected_at", "update_id")
    SELECT u."id", u."realm_id", now(), 0 FROM "users" u
    WHERE u."id" = ANY("user_ids") AND u."realm_id" = "realm" AND u."is_active"
      AND coalesce((u."settings" ->> 'presence_enabled')::boolean, true)
      AND NOT EXISTS (SELECT 1 FROM "presences" p WHERE p."user_id" = u."id")
    ORDER BY u."id"
    ON CONFLICT DO NOTHING;

    "recorded" := ARRAY(SELECT p."user_id" FROM "presences" p JOIN "users" u ON u."id" = p."user_id"
      WHERE p."user_id" = ANY("user_ids") AND p."realm_id" = "realm" AND u."is_active"
        AND coalesce((u."settings" ->> 'presence_enabled')::boolean, true)
      ORDER BY p."user_id" FOR NO KEY UPDATE OF p);

    PERFORM pg_advisory_xact_lock(992132, "realm");

    UPDATE "presences" p SET "update_id" = nextval('presence_update_ids'),
      "last_connected_at" = greatest(p."last_connected_at", now()),
      "last_active_at" = CASE WHEN r."is_active" THEN greatest(p."last_active_at", now()) ELSE p."last_active_at" END
    FROM unnest("user_ids", "active") AS r("user_id", "is_active")
    WHERE p."user_id" = r."user_id" AND p."user_id" = ANY("recorded");
END $$;
