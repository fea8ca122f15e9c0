import { exampleSuite, sandboxSuite } from "../../express/test/runningExample.ts"
import { effectSettings } from "./settings.ts"

const sources = new URL("../src/", import.meta.url)
exampleSuite("Effect", sources, undefined, effectSettings)
sandboxSuite(["SIGINT", "SIGTERM with a database", "failure"], "Effect", sources, undefined, effectSettings)
