import type { LanguageModel } from 'ai'
import { demoModel } from './demo-model.ts'

/**
 * The model: `AI_MODEL=openai/gpt-5-mini` with `AI_GATEWAY_API_KEY` uses one through Vercel's AI Gateway. Or replace this
 * line, for example with `openai('gpt-5-mini')` from `@ai-sdk/openai`. By default, a demo answers without a key.
 */
export const model: LanguageModel = process.env['AI_MODEL'] ?? demoModel
