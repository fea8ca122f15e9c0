import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { AwsClient } from "aws4fetch"

/*
 * A real S3 server: OpenStack Swift with its middleware s3api, on one node. It's installed by hand, as Debian's packages
 * swift-proxy, swift-account, swift-container, swift-object and memcached.
 */

const services = ["account", "container", "object"] as const
const programs = ["memcached", "setpriv", "swift-ring-builder", "swift-proxy-server"].concat(
  services.map((service) => `swift-${service}-server`)
)

/** The programs of Swift that aren't on the PATH. */
export const missingPrograms = (): ReadonlyArray<string> =>
  programs.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0)

/** Different free ports. */
const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  await Promise.all(servers.map((server) => once(server, "listening")))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), "close")))
  return ports
}

const config = (folder: string, port: number, rest: string): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}
mount_check = false
${rest}`

const proxyConfig = (memcached: number): string => `[pipeline:main]
pipeline = cache s3api tempauth slo proxy-server
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcached}
[filter:s3api]
use = egg:swift#s3api
location = eu-central-1
[filter:tempauth]
use = egg:swift#tempauth
user_till_tester = secret-of-the-tests .admin
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_limit = 1000000
`

/** Starts Swift in a temporary folder, on this machine's loopback address, with an empty bucket. */
export const startSwift = async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-swift-"))
  mkdirSync(join(folder, "disk"))
  const [proxyPort = 0, memcachedPort = 0, ...ports] = await freePorts(2 + services.length)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = tests\n")
  write("proxy.conf", config(folder, proxyPort, proxyConfig(memcachedPort)))
  for (const [index, service] of services.entries()) {
    const port = ports[index] ?? 0
    const app = `[pipeline:main]\npipeline = ${service}-server\n[app:${service}-server]\nuse = egg:swift#${service}\n`
    write(`${service}.conf`, config(folder, port, app))
    const ring = (...args: ReadonlyArray<string>) =>
      execFileSync("swift-ring-builder", [join(folder, `${service}.builder`), ...args], { stdio: "ignore" })
    ring("create", "4", "1", "0")
    ring("add", `r1z1-127.0.0.1:${port}/disk`, "1")
    ring("rebalance")
  }
  const log = openSync(join(folder, "log"), "a")
  // The kernel ends them with this process, even if it is killed.
  const start = (...command: ReadonlyArray<string>) =>
    spawn("setpriv", ["--pdeathsig", "KILL", ...command], { stdio: ["ignore", log, log] })
  const children = [
    start("memcached", "-l", "127.0.0.1", "-p", `${memcachedPort}`, "-U", "0", "-u", userInfo().username),
    ...["proxy", ...services].map((name) =>
      start(`swift-${name}-server`, join(folder, `${name}.conf`), "--verbose")
    )
  ]
  const stop = async (): Promise<void> => {
    const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    await Promise.all(running.map((child) => (child.kill("SIGKILL"), once(child, "exit"))))
    closeSync(log)
    rmSync(folder, { recursive: true, force: true })
  }
  const place = {
    bucket: `http://127.0.0.1:${proxyPort}/bucket`,
    region: "eu-central-1",
    accessKeyId: "till:tester",
    secretAccessKey: "secret-of-the-tests"
  }
  const client = new AwsClient({ ...place, service: "s3", retries: 0 })
  const endMillis = Date.now() + 30_000
  const probe = async (): Promise<string> => {
    await client.fetch(place.bucket, { method: "PUT" })
    return (await client.fetch(`${place.bucket}/none`)).text()
  }
  for (;;) {
    // Any other response, or none, means that one of the servers isn't up yet.
    const state = await probe().catch(String)
    if (state.includes("NoSuchKey")) return { place, stop }
    if (Date.now() > endMillis) {
      const text = readFileSync(join(folder, "log"), "utf8").slice(0, 4_000)
      await stop()
      throw new Error(`Swift didn't start: ${state}\n${text}`)
    }
    await pause(200)
  }
}
