import { exampleSuite } from "../../express/test/runningExample.ts"

exampleSuite("Koa", new URL("../src/", import.meta.url))
