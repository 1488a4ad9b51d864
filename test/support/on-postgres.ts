/** To be imported first: installations of this test file keep their rows on PostgreSQL, whatever the other files do. */
process.env["INTAKE_TEST_STORE"] = "postgres";
