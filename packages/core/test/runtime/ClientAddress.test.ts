import { describe, expect, it } from "vitest"
import { clientOf, groupOf } from "../../src/runtime/ClientAddress.ts"

describe("a budget", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:55123", "192.0.2.1"],
    ["[2001:db8:1:2::9]:443", "2001:db8:1:2"],
    ["[2001:db8:1:2::9]", "2001:db8:1:2"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::1", "0:0:0:0"]
  ])("counts %s as %s", (address, client) => {
    expect(clientOf(address)).toBe(client)
  })

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2::9", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0::/48"]
  ])("groups %s as %s", (address, group) => {
    expect(groupOf(clientOf(address))).toBe(group)
  })
})
