import { describe } from "vitest"
import { answers } from "./answers.ts"
import { failures } from "./failures.ts"
import type { Hosts } from "./hosts.ts"
import { afterParser, mounts } from "./mounts.ts"
import { requests } from "./requests.ts"

/*
 * What every adapter does, over real sockets. Each adapter's own tests run this suite with servers made by
 * its framework.
 */

export const adapterSuite = (name: string, hosts: Hosts): void => {
  describe(`${name}: requests`, () => requests(hosts))
  describe(`${name}: answers`, () => answers(hosts))
  describe(`${name}: mounts`, () => mounts(hosts))
  describe(`${name}: a body parser before the till`, () => afterParser(hosts))
  describe(`${name}: clients that go away, and failures`, () => failures(hosts))
}
