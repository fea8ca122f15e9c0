import { exampleSuite } from "../../express/test/runningExample.ts"

exampleSuite("Koa", new URL("../src/main.ts", import.meta.url))
