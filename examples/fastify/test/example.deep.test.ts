import { exampleSuite, sandboxSuite } from "../../express/test/runningExample.ts"

const sources = new URL("../src/", import.meta.url)
exampleSuite("Fastify", sources)
sandboxSuite(["SIGINT", "SIGTERM with a database", "failure"], "Fastify", sources)
