import { exampleSuite } from "../../express/test/runningExample.ts"

exampleSuite("Hono", new URL("../src/main.ts", import.meta.url))
