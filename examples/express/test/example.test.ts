import { exampleSuite } from "./runningExample.ts"

exampleSuite("Express", new URL("../src/", import.meta.url))
