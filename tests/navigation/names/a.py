class Box:
    MAX_SIZE = 3

    def __getitem__(self, key: int) -> int:
        return key
