import { exampleSuite, sandboxSuite } from "./runningExample.ts"

const sources = new URL("../src/", import.meta.url)
exampleSuite("Express", sources)
sandboxSuite(["SIGINT", "SIGTERM with a database", "failure"], "Express", sources)
