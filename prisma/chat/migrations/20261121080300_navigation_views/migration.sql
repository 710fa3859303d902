-- What somebody has in the menu of a client, by the part of the address behind its #.
CREATE TABLE "navigation_views" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "fragment" TEXT NOT NULL,
    "is_pinned" BOOLEAN NOT NULL,
    "name" TEXT,

    CONSTRAINT "navigation_views_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "navigation_views_user_id_fragment_key" ON "navigation_views"("user_id", "fragment");

ALTER TABLE "navigation_views" ADD CONSTRAINT "navigation_views_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
