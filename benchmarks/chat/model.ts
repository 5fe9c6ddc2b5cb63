import type { LanguageModel } from 'ai'

/** The model of the chats. Any provider's model has this type. */
export const model = 'openai/gpt-5-mini' as unknown as LanguageModel
