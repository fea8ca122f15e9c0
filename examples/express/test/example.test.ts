import { sandboxSuite } from "./runningExample.ts"

// The own store's example is the one that is paid, also after a restart; example.deep.test.ts has this one's.
sandboxSuite(["SIGINT"], "Express", new URL("../src/", import.meta.url))
