import { exampleSuite, sandboxSuite } from "./runningExample.ts"

const sources = new URL("../src/", import.meta.url)
exampleSuite(["sale"], "Express", sources)
sandboxSuite(["SIGINT"], "Express", sources)
