import { exampleSuite } from "./runningExample.ts"

exampleSuite("Express", new URL("../src/main.ts", import.meta.url))
