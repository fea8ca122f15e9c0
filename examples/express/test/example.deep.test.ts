import { sandboxSuite } from "./runningExample.ts"

sandboxSuite(["SIGTERM with a database", "failure"], "Express", new URL("../src/", import.meta.url))
