import { Till } from "@till402/core"
import { till402 as express } from "@till402/express"
import { till402 as fastify } from "@till402/fastify"
import { till402 as hono } from "@till402/hono"
import { till402 as koa } from "@till402/koa"
import { describe, expect, it } from "vitest"

const mounting = { express, fastify, hono, koa }

describe("an adapter that gets no till says so when it is mounted", () => {
  it.each(Object.entries(mounting))("%s", (_, till402) => {
    for (const given of [undefined, { baseUrl: "https://shop.example" }, Promise.resolve(), Till])
      expect(() => Reflect.apply(till402, undefined, [given])).toThrow("till402 takes what Till.make returns")
  })
})
