import { describe } from "vitest"
import { responses } from "./responses.ts"
import { failures } from "./failures.ts"
import type { Hosts } from "./hosts.ts"
import { afterParser, mounts } from "./mounts.ts"
import { requests } from "./requests.ts"

/* The tests that every adapter passes, over real sockets, with servers made by its framework. */

export const adapterSuite = (name: string, hosts: Hosts): void => {
  describe(`${name}: requests`, () => requests(hosts))
  describe(`${name}: responses`, () => responses(hosts))
  describe(`${name}: mounts`, () => mounts(hosts))
  describe(`${name}: a body parser before the till`, () => afterParser(hosts))
  describe(`${name}: disconnected clients and failures`, () => failures(hosts))
}
