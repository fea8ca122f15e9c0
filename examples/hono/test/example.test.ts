import { exampleSuite } from "../../express/test/runningExample.ts"

exampleSuite("Hono", new URL("../src/", import.meta.url))
