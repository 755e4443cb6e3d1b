class Box:
    MAX_SIZE = 3
    def __getitem__(self, k):
        return k
def größe():
    return 1
