import { stageChat } from './chat.mjs'

stageChat('text', {})
