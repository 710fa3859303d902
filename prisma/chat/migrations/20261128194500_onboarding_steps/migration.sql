CREATE TABLE "onboarding_steps" (
    "user_id" INTEGER NOT NULL,
    "step" TEXT NOT NULL,

    CONSTRAINT "onboarding_steps_pkey" PRIMARY KEY ("user_id", "step"),
    CONSTRAINT "onboarding_steps_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
