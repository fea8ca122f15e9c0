import { exampleSuite } from "../../express/test/runningExample.ts"
import { effectSettings } from "./settings.ts"

exampleSuite("Effect", new URL("../src/", import.meta.url), undefined, effectSettings)
