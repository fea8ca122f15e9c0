import { sandboxSuite } from "../../express/test/runningExample.ts"
import { effectSettings } from "./settings.ts"

sandboxSuite("Effect", new URL("../src/", import.meta.url), undefined, effectSettings)
