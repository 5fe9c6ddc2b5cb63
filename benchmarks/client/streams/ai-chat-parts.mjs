import { stageChat } from './chat.mjs'

stageChat('parts', {})
