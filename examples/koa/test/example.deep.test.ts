import { sandboxSuite } from "../../express/test/runningExample.ts"
import { postgresDatabase } from "./database.ts"

sandboxSuite("Koa", new URL("../src/", import.meta.url), postgresDatabase)
