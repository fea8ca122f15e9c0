import type { ModelMessage } from "ai"
import type { Prompt } from "effect/ai"

/*
 * Prompts as messages of the AI SDK. Texts and tools only.
 */

const textOf = (parts: ReadonlyArray<Prompt.Part>): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

const messagesOf = (message: Prompt.Message): ReadonlyArray<ModelMessage> => {
  switch (message.role) {
    case "system":
      return []
    case "user":
      return [{ role: "user", content: textOf(message.content) }]
    case "assistant": {
      const text = textOf(message.content)
      const calls = message.content.flatMap((part) =>
        part.type === "tool-call"
          ? [{ type: "tool-call" as const, toolCallId: part.id, toolName: part.name, input: part.params }]
          : []
      )
      const content = [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls]
      return content.length === 0 ? [] : [{ role: "assistant", content }]
    }
    case "tool":
      return [
        {
          role: "tool",
          content: message.content.flatMap((part) =>
            part.type === "tool-result"
              ? [
                  {
                    type: "tool-result" as const,
                    toolCallId: part.id,
                    toolName: part.name,
                    output: { type: "text" as const, value: JSON.stringify(part.result) }
                  }
                ]
              : []
          )
        }
      ]
  }
}

/** The messages of a prompt, with its system messages as instructions. */
export const toModelMessages = ({
  content
}: Prompt.Prompt): { readonly instructions: string; readonly messages: Array<ModelMessage> } => ({
  instructions: content
    .flatMap((message) => (message.role === "system" ? [message.content] : []))
    .join("\n\n"),
  messages: content.flatMap(messagesOf)
})
