-- What people say of themselves for the moment. Empty texts are not set; who says nothing has no row.
CREATE TABLE "user_statuses" (
    "user_id" INTEGER NOT NULL,
    "status_text" TEXT NOT NULL DEFAULT '',
    "emoji_name" TEXT NOT NULL DEFAULT '',
    "emoji_code" TEXT NOT NULL DEFAULT '',
    "reaction_type" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "user_statuses_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "user_statuses_emoji_check" CHECK (
        ("emoji_name" = '') = ("emoji_code" = '') AND ("emoji_name" = '') = ("reaction_type" = ''))
);

ALTER TABLE "user_statuses" ADD CONSTRAINT "user_statuses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
