import { sandboxSuite } from "../../express/test/runningExample.ts"

sandboxSuite("Hono", new URL("../src/", import.meta.url))
