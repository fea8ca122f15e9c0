import { sandboxSuite } from "../../express/test/runningExample.ts"
import { effectSettings } from "./settings.ts"

sandboxSuite(
  ["SIGINT", "SIGTERM with a database", "failure"],
  "Effect",
  new URL("../src/", import.meta.url),
  undefined,
  effectSettings
)
