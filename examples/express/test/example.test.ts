import { sandboxSuite } from "./runningExample.ts"

// The only example that runs as a process of its own in npm test; example.deep.test.ts has one that is paid.
sandboxSuite(["SIGINT"], "Express", new URL("../src/", import.meta.url))
