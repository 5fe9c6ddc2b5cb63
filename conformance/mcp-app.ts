/** The app that MCP's conformance suite checks. Its tools have the names that the suite expects. Prints its URL. */
import { ApiError, createAgent, createApp, createRouter, serve } from '@sdk/server'
import { mcp, mcpContent } from '@sdk/mcp'
import { z } from 'zod'

/** A PNG image of one pixel. The suite does not decode it. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const toFile = (type: string) => () => new Response(Buffer.from(PIXEL, 'base64'), { headers: { 'content-type': type } })

const agents = [
  createAgent('text', { description: 'Returns text', handler: () => 'This is a simple text response for testing.' }),
  createAgent('error', {
    description: 'Fails',
    handler(): null {
      throw new ApiError('CONFLICT', 'This tool intentionally returns an error for testing')
    },
  }),
  createAgent('mixed', {
    description: 'Returns text, an image and a resource',
    output: mcpContent,
    handler: (_ctx) => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
        },
      ],
    }),
  }),
  createAgent('progress', {
    description: 'Reports progress',
    output: z.int(),
    async *handler() {
      yield* [0, 50, 100]
    },
  }),
]

const router = createRouter()
  .on('GET /api/image', { description: 'Returns an image', handler: toFile('image/png') })
  .on('GET /api/audio', { description: 'Returns audio', handler: toFile('audio/wav') })
  .on('GET /api/resource', { description: 'Returns a resource', handler: toFile('application/octet-stream') })
  .on(
    'POST /api/mcp',
    mcp({
      test_simple_text: 'POST /agent/text',
      test_error_handling: 'POST /agent/error',
      test_tool_with_progress: 'POST /agent/progress',
      test_multiple_content_types: 'POST /agent/mixed',
      test_image_content: 'GET /api/image',
      test_audio_content: 'GET /api/audio',
      test_embedded_resource: 'GET /api/resource',
    }),
  )

const server = await serve(createApp({ agents, router }), { port: 0 })
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
